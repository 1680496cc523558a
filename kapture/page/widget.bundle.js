// Made from kapture/page/widget/ by `npm run build`. Do not edit.
"use strict";(()=>{var L="M4.7 7h6.6a1.2 1.2 0 0 1 1.2 1.2v4.1a1.2 1.2 0 0 1-1.2 1.2H4.7a1.2 1.2 0 0 1-1.2-1.2V8.2A1.2 1.2 0 0 1 4.7 7z",_={lock:`${L}M5.5 7V5a2.5 2.5 0 0 1 5 0v2`,openLock:`${L}M5.5 7V4.6a2.5 2.5 0 0 1 4.8-.9`,cross:"M4 4l8 8M12 4l-8 8",pencil:"M3 13l.7-2.9L10.6 3.2a1.3 1.3 0 0 1 2.2 2.2L5.9 12.3 3 13z",up:"M8 13V3.5M4 7l4-4 4 4",down:"M8 3v9.5M4 9l4 4 4-4",back:"M10 3L5 8l5 5",grip:"M5.5 4v.01M5.5 8v.01M5.5 12v.01M10.5 4v.01M10.5 8v.01M10.5 12v.01"};var Z="http://www.w3.org/1999/xhtml",O="http://www.w3.org/2000/svg";function n(s,e={},...t){let i=document.createElementNS(Z,s);for(let[o,r]of Object.entries(e))r!==!1&&i.setAttribute(o,r===!0?"":r);return i.append(...t),i}function h(s,e,t){return n(s,{...e,"data-text":t})}function p(s){let e=document.createElementNS(O,"svg"),t={viewBox:"0 0 16 16",width:"14",height:"14",fill:"none",stroke:"currentColor","stroke-width":"1.5","stroke-linecap":"round","stroke-linejoin":"round","aria-hidden":"true"};for(let[o,r]of Object.entries(t))e.setAttribute(o,r);let i=document.createElementNS(O,"path");return i.setAttribute("d",_[s]),e.append(i),e}function d(s,e,...t){let i=n("button",{type:"button",...e},...t);return u(i,"click",s),i}function u(s,e,t){s.addEventListener(e,i=>{i.isTrusted&&t(i)})}var g=class{#e=new Animation(new KeyframeEffect(null,null,{duration:9e3}));#t=!1;#i;constructor(e,t){this.#i=e,this.#e.onfinish=t}renew(){this.#t=!1,this.#e.currentTime=0,this.#e.play()}doubt(){this.#t||this.#e.playState!=="running"||(this.#t=!0,this.#e.currentTime=Math.max(Number(this.#e.currentTime),6e3),this.#i())}cancel(){this.#e.cancel()}};var R=`/*
 * The one palette of the extension's pages and the Console: colours, sizes and type. Light and dark follow the system,
 * or \`data-theme\` on the root (DevTools' own theme). Contrast is tested: tests/js/extension/ui/tokens.test.js.
 */

:root {
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --size: 13px;
  --small: 11.5px;
  --gap: 12px;
  --radius: 8px;
  --row: 24px;

  color-scheme: light dark;
  --ground: light-dark(#ffffff, #1f2024);
  --raised: light-dark(#f5f7f9, #292a2f);
  --hover: light-dark(#eceff3, #33353b);
  --selected: light-dark(#dfeafd, #2b3f60);
  --line: light-dark(#d9dde3, #40434a);
  --control-line: light-dark(#838b95, #7d858f);
  --text: light-dark(#1c2128, #e6e8eb);
  --quiet: light-dark(#545d68, #a9b1bb);
  --accent: light-dark(#1f5fcc, #8ab6ff);
  --accent-text: light-dark(#ffffff, #10203c);
  --accent-soft: light-dark(#e6effd, #22334f);
  --good: light-dark(#15703f, #6fd39b);
  --good-soft: light-dark(#dff5e8, #183828);
  --warn: light-dark(#815400, #eebd5c);
  --warn-soft: light-dark(#fdf1d6, #3c2f14);
  --bad: light-dark(#b42318, #ff9c92);
  --bad-soft: light-dark(#fde8e6, #46211e);
  --ask: light-dark(#6d3fc4, #c3a4ff);
  --ask-soft: light-dark(#efe7fd, #33264d);

  --syntax-key: light-dark(#7a2d8c, #d8a6e8);
  --syntax-string: light-dark(#a3341c, #f5a97f);
  --syntax-number: light-dark(#1a4fc2, #8ab6ff);
  --syntax-keyword: light-dark(#0f6674, #6ccbd8);
}

:root[data-theme="light"] {
  color-scheme: light;
}

:root[data-theme="dark"] {
  color-scheme: dark;
}
`;var B={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[0,-1],ArrowDown:[0,1]};function k(s,e,{dx:t,dy:i},o){let r=I(e.left+t,o.width-e.width),a=I(e.top+i,o.height-e.height),l=o.width-e.width-r,c=o.height-e.height-a,f=a<c;return{...s,right:Math.round(l),side:f?"top":"bottom",offset:Math.round(f?a:c)}}function N({key:s,shiftKey:e}){if(!Object.hasOwn(B,s))return;let[t,i]=B[s],o=e?96:16;return{dx:t*o,dy:i*o}}function I(s,e){return Math.max(8,Math.min(s,e-8))}var b=`${8}px`,D=`min(320px, calc(100% - ${16}px))`,y=`clamp(${b}, var(--offset), 50%)`,X=`
:host {
  all: initial !important;
  position: fixed !important;
  top: 0 !important;
  left: 0 !important;
  width: 0 !important;
  height: 0 !important;
  z-index: 2147483647 !important;
}
`,j=`${X}
${R.replaceAll(":root",".widget")}
.widget { --font: system-ui, sans-serif; --mono: monospace; }
.widget {
  position: fixed; inset: auto; right: clamp(${b}, var(--right), calc(100% - ${D} - ${b}));
  box-sizing: border-box; display: flex; flex-direction: column; gap: 6px; width: ${D};
  max-height: calc(100% - ${y} - ${b}); margin: 0; padding: 8px; overflow: auto; overscroll-behavior: contain;
  border: 1px solid var(--control-line); border-radius: var(--radius); background: var(--raised); color: var(--text);
  box-shadow: 0 4px 16px rgb(0 0 0 / 0.25); font: var(--size) / 1.45 var(--font); text-align: start;
  user-select: none; -webkit-user-select: none; pointer-events: auto;
}
.widget[data-side="bottom"] { bottom: ${y}; }
.widget[data-side="top"] { top: ${y}; }
.widget[inert] { pointer-events: none; }
.widget.unseen { opacity: 0; } /* what is hidden loses the focus */
@media print { .widget { display: none; } }
*, *::before, *::after { box-sizing: border-box; scrollbar-width: thin; scrollbar-color: var(--control-line) transparent; }
[data-text]::before { content: attr(data-text); }
[hidden] { display: none !important; }
p, ol { margin: 0; padding: 0; list-style: none; }
code { font-family: var(--mono); font-size: 0.93em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.quiet { color: var(--quiet); }
.cut { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar, .row { display: flex; align-items: center; gap: 6px; flex: none; }
.bar { cursor: move; touch-action: none; }
.status { flex: 1; min-width: 0; font-weight: 600; overflow-wrap: anywhere; }
.dot { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 50%; background: var(--bad); }
.latest { flex: none; padding: 0 4px; }
button, input { margin: 0; color: inherit; font: inherit; }
button {
  display: inline-flex; flex: none; align-items: center; justify-content: center; gap: 6px; min-height: 26px; padding: 2px 12px;
  border: 1px solid var(--control-line); border-radius: 6px; background: var(--ground); white-space: nowrap; cursor: pointer;
}
button:hover { background: var(--hover); }
button.primary { border-color: transparent; background: var(--accent); color: var(--accent-text); font-weight: 600; }
button.primary:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
button.icon { min-width: 24px; min-height: 24px; padding: 2px 5px; border-color: transparent; background: none; color: var(--quiet); }
button.icon:hover { background: var(--hover); color: var(--text); }
button.grip { cursor: move; }
button.toggle { justify-content: start; padding: 1px 4px; border-color: transparent; background: none; }
button.toggle:hover { background: var(--hover); }
.arrow { width: 0; height: 0; border: 4px solid transparent; border-left: 6px solid; border-right: 0; }
[aria-expanded="true"] > .arrow { rotate: 90deg; }
input:not([type="checkbox"]) {
  width: 100%; min-width: 0; min-height: 26px; padding: 2px 8px; border: 1px solid var(--control-line); border-radius: 6px;
  background: var(--ground); user-select: text; -webkit-user-select: text;
}
::placeholder { color: var(--quiet); opacity: 1; }
input[type="checkbox"] { flex: none; margin: 0; accent-color: var(--accent); translate: 0 2px; }
label { cursor: pointer; }
label.check { display: flex; align-items: baseline; gap: 6px; }
.field { display: grid; grid-template-columns: 11ch minmax(0, 1fr); align-items: center; gap: 6px; }
.field.halves { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.rows { display: grid; gap: 6px; }
.form { display: grid; flex: none; gap: 6px; padding: 8px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--ground); }
.problem { flex: none; padding: 6px 10px; border-radius: var(--radius); background: var(--bad-soft); color: var(--text); overflow-wrap: anywhere; }
.steps {
  flex: 0 1 auto; min-height: 60px; max-height: min(38vh, 320px); padding: 0 8px; overflow: auto; overscroll-behavior: contain;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--ground);
}
.steps > li { display: flex; align-items: center; gap: 2px 8px; min-height: 28px; padding: 2px 0; border-bottom: 1px solid var(--line); }
.steps > li:last-child { border-bottom: 0; }
.count { flex: none; min-width: 2ch; color: var(--quiet); text-align: right; font-variant-numeric: tabular-nums; }
.words { flex: 1 1 12ch; min-width: 0; overflow-wrap: anywhere; }
.tools { display: flex; flex: none; margin-left: auto; }
.edit { display: flex; flex: 1; gap: 6px; }
.lock { display: inline-flex; margin-right: 4px; color: var(--ask); vertical-align: -2px; }
`;var q="[A-Za-z0-9][A-Za-z0-9_\\-]{0,99}",z="^[A-Za-z_][A-Za-z0-9_]{0,63}$",Q=/^(fill|type|paste)\b/;function S(s){let e=s?.steps.length??0;if(!s||!s.going&&e===0)return"What you do on the tab becomes a scenario.";let{going:t,leftOut:i,full:o}=s,r=`${e} step${e===1?"":"s"}`;if(t&&e===0)return"Use the page: each step is listed here.";let a=o?`. The recording is full: ${o}. Save it, or delete steps.`:"";return`${r}${i?`, ${i} more did not fit`:""}${t?"":", not saved yet"}${a}`}function E({value:s}){return typeof s=="string"}function m(s){return E(s)&&Q.test(s.title)}function K({title:s,value:e}){return typeof e=="string"&&!s.includes(e)?e:void 0}function F(s){return[...new Set(s.flatMap(({secret:e})=>e??[]))]}function H({title:s,value:e}){return`${/"(.+)"$/.exec(s)?.[1]??s}: ${e}`}function V(s){return s.split(",").map(e=>e.trim()).filter(Boolean)}function G(s){return s?.code==="SCENARIO_INVALID"&&/already/.test(s.message)}var x=class{#e=n("input",{required:!0,pattern:q,title:"Letters, digits, _ and -",placeholder:"sign_in",autocomplete:"off",spellcheck:"false"});#t=n("input",{maxlength:"200",placeholder:"For people",autocomplete:"off"});#i=n("input",{maxlength:"2000",autocomplete:"off"});#s=n("input",{maxlength:"500",placeholder:"shop, sign-in",autocomplete:"off"});#o=new Map;#l=n("div",{class:"rows"});#c=n("div",{class:"rows",role:"group","aria-label":"Parameters",hidden:!0},n("p",{class:"quiet"},"Name the texts that differ between runs:"),this.#l);#a=n("input",{type:"checkbox"});#d=n("span");#h=n("label",{class:"check",hidden:!0},this.#a,this.#d);#n=n("input",{type:"checkbox"});#r=n("label",{class:"check",hidden:!0},this.#n,n("span",{},"Replace the scenario of this name"));#p=d(()=>this.submit(),{class:"primary"},"Save scenario");constructor(e,t){this.ask=e,this.element=n("div",{class:"form",role:"group","aria-label":"Save the recording",hidden:!0},n("label",{class:"field"},n("span",{},"Name"),this.#e),n("label",{class:"field"},n("span",{},"Title"),this.#t),n("label",{class:"field"},n("span",{},"Description"),this.#i),n("label",{class:"field"},n("span",{},"Tags"),this.#s),this.#c,this.#h,this.#r,n("div",{class:"row"},this.#p,d(t,{},"Cancel")))}open(){this.#a.checked=this.#n.checked=!1,this.element.hidden=!1,this.#e.focus()}show(e,t,i){let o=F(e),r=e.filter(m).map(l=>{let c=this.#o.get(l.id)??ee(l);return c.typed.dataset.text=c.typed.title=H(l),[l.id,c]}),a=[...this.#o].filter(([l])=>!e.some(c=>c.id===l&&m(c)));for(let[,{row:l}]of a)l.remove();this.#o=new Map(r);for(let[,{row:l}]of r)l.isConnected||this.#l.append(l);this.#c.hidden=r.length===0,this.#h.hidden=o.length===0,this.#d.textContent=`Store ${o.join(", ")} on this computer, encrypted; otherwise each run asks`,this.#r.hidden=!G(t),this.#p.textContent=i?"Saving…":"Save scenario"}submit(){this.#e.value=this.#e.value.trim();let e=[...this.#o].filter(([,{name:a}])=>a.value=a.value.trim());if(![this.#e,...e.map(([,{name:a}])=>a)].every(a=>a.reportValidity()))return;let t=V(this.#s.value),i=Object.fromEntries(e.map(([a,{name:l}])=>[a,l.value])),[o,r]=[this.#t.value.trim(),this.#i.value.trim()];this.ask("record_save",{name:this.#e.value,...o?{title:o}:{},...r?{description:r}:{},...t.length?{tags:t}:{},...e.length?{parameters:i}:{},...this.#a.checked&&!this.#h.hidden?{store_secrets:!0}:{},...this.#n.checked&&!this.#r.hidden?{replace:!0}:{}})}isField(e){return e instanceof HTMLInputElement&&e.type!=="checkbox"&&this.element.contains(e)}};function ee({title:s}){let e=h("span",{class:"cut"},""),t=n("input",{pattern:z,title:"Letters, digits and _",placeholder:"parameter",autocomplete:"off",spellcheck:"false","aria-label":`Parameter: ${s}`});return{row:n("label",{class:"field halves"},e,t),typed:e,name:t}}var w=class{element=n("ol",{class:"steps","aria-label":"Recorded steps",hidden:!0});#e=new Map;#t=[];#i="";constructor(e){this.ask=e}show(e){let t=e.length>this.#t.length;this.#t=e;let i=new Set(e.map(({id:o})=>o));for(let[o,{item:r}]of this.#e)i.has(o)||(this.#d(r),r.remove(),this.#e.delete(o));for(let[o,r]of e.entries())this.#s(o,r);t&&(this.element.scrollTop=this.element.scrollHeight)}onKey({key:e}){let t=this.#e.get(this.#i);return!t?.item.contains(M(t.item))||e!=="Escape"&&e!=="Enter"||e==="Enter"&&M(t.item)instanceof HTMLButtonElement?!1:(this.#a(e==="Enter"),!0)}#s(e,t){let i=this.#i===t.id,o=i?"editing":JSON.stringify(t),r=this.#e.get(t.id);r||(r={item:n("li"),number:n("span",{class:"count"}),shown:""},this.#e.set(t.id,r)),r.number.textContent=String(e+1),r.shown!==o&&(r.shown=o,r.item.replaceChildren(r.number,...i?this.#l(t):this.#o(t))),this.element.children[e]!==r.item&&this.element.insertBefore(r.item,this.element.children[e]??null)}#o(e){let{id:t,title:i,secret:o}=e,r=K(e),a=n("span",{class:"words"});o&&a.append(n("span",{class:"lock",role:"img","aria-label":"Secret",title:`Kept as the secret ${o}; its value is shown nowhere`},p("lock"))),a.append(h("span",{},i)),r!==void 0&&a.append(" ",h("span",{class:"quiet"},r)),o&&a.append(" ",h("code",{},`{{${o}}}`));let l=n("span",{class:"tools"});if(m(e)){let f=()=>this.ask("record_edit",{step:t,secret:!0});l.append(d(f,{class:"icon","aria-label":`Keep as a secret: ${i}`,title:"Keep what is typed as a secret"},p("openLock")))}E(e)&&l.append(d(()=>this.#c(t),{class:"icon","aria-label":`Edit: ${i}`,title:"Edit"},p("pencil")));let c=()=>this.ask("record_edit",{step:t,delete:!0});return l.append(d(c,{class:"icon delete","aria-label":`Delete: ${i}`,title:"Delete"},p("cross"))),[a,l]}#l({title:e,value:t}){let i=n("input",{"aria-label":`Value of ${e}`,autocomplete:"off",spellcheck:"false"});return i.value=t??"",[n("span",{class:"edit"},i,d(()=>this.#a(!0),{class:"primary"},"Set"))]}#c(e){this.#i=e,this.show(this.#t);let t=this.#e.get(e)?.item.querySelector("input");t?.focus(),t?.select()}#a(e){let t=this.#i,i=this.#e.get(t)?.item,o=i?.querySelector("input");this.#i="",e&&o&&this.ask("record_edit",{step:t,value:o.value}),this.show(this.#t),i?.querySelector(".delete")?.focus()}#d(e){if(!M(e))return;(e.nextElementSibling??e.previousElementSibling)?.querySelector(".delete")?.focus()}};function M(s){let{activeElement:e}=s.getRootNode();return e&&s.contains(e)?e:null}var v=class{#e=n("span",{class:"status",role:"status"});#t=n("button",{type:"button"});#i=d(()=>this.#w(),{class:"primary"},"Save…");#s=d(()=>this.send({close:!0}),{class:"icon","aria-label":"Close the recorder",title:"Close"},p("cross"));#o=d(()=>{},{class:"icon grip","aria-label":"Move the recorder",title:"Drag it, or press the arrow keys"},p("grip"));#l=n("span");#c=d(()=>this.#b({open:!this.#r.open}),{class:"toggle","aria-expanded":"false"},n("span",{class:"arrow","aria-hidden":"true"}),this.#l);#a=h("p",{class:"latest quiet cut"},"");#d=n("p",{class:"problem",role:"alert",hidden:!0});#h=new w((e,t)=>this.#m(e,t));#n=new x((e,t)=>this.#m(e,t),()=>this.#g());#r={right:0,side:"bottom",offset:0,open:!1};#p;#f=!1;constructor(e){this.send=e;let t=n("div",{class:"bar"},this.#o,this.#e,this.#t,this.#i,this.#s);this.element=n("section",{class:"widget","aria-label":"Kapture recorder",popover:"manual"},t,this.#c,this.#a,this.#h.element,this.#n.element,this.#d),u(this.#t,"click",({detail:i})=>{i<2&&this.#m(this.#p?.going?"record_stop":"record_start",{})}),this.#k(t),u(this.element,"mousedown",i=>{i.target instanceof HTMLInputElement||i.preventDefault()})}show(e){this.#p||(this.#r=e.shape),this.#p=e,this.#f&&=e.busy,(e.saved!==null||e.steps.length===0)&&(this.#n.element.hidden=!0),this.#h.show(e.steps),this.#n.show(e.steps,e.problem,e.busy),this.#u()}onKey(e){if(e.isComposing)return!1;let t=this.element.getRootNode().activeElement;return t===this.#o?this.#v(N(e)):this.#h.onKey(e)?!0:e.key==="Escape"&&!this.#n.element.hidden&&this.#n.element.contains(t)?(this.#g(),!0):e.key!=="Enter"||!this.#n.isField(t)?!1:(this.#n.submit(),!0)}#u(){let e=this.#p,{going:t,saved:i,steps:o,problem:r}=e,{open:a,side:l,right:c,offset:f}=this.#r,U=o.at(-1),[Y,T=""]=i?.split(": ")??[],A=!t&&i===null&&o.length===0,C=t?"Recording":A?"Not recording":i===null?"Stopped":`Saved as ${Y}`;this.#e.textContent!==C&&this.#e.replaceChildren(...t?[n("span",{class:"dot","aria-hidden":"true"})]:[],C),this.#t.textContent=t?"Stop":A?"Record":"Record again",this.#i.hidden=!this.#n.element.hidden||i!==null||o.length===0,this.#s.hidden=t,this.#l.textContent=S(e),this.#c.hidden=i!==null||o.length===0,this.#c.setAttribute("aria-expanded",String(a)),this.#a.dataset.text=i!==null?T:o.length===0?S(e):U?.title??"",this.#a.classList.toggle("cut",i===null),this.#a.hidden=i!==null?T==="":a&&o.length>0,this.#h.element.hidden=!a||i!==null||o.length===0,this.#d.hidden=r===null,this.#d.textContent=r===null?"":[r.message,r.hint].filter(Boolean).join(" "),this.element.dataset.side=l,this.element.style.setProperty("--right",`${c}px`),this.element.style.setProperty("--offset",`${f}px`)}#m(e,t){if(e==="record_save"){if(this.#f)return;this.#f=!0}this.send({command:e,params:t})}#w(){this.#n.open(),this.#u()}#g(){this.#n.element.hidden=!0,this.send({cancel:!0}),this.#u(),this.#i.focus()}#b(e){this.#r={...this.#r,...e},this.#u(),this.send({shape:this.#r})}#v(e){return e&&this.#b(k(this.#r,this.element.getBoundingClientRect(),e,this.#x())),e!==void 0}#x(){let{right:e,bottom:t}=this.element.getBoundingClientRect(),i=getComputedStyle(this.element);return{width:e+parseFloat(i.right),height:t+parseFloat(i.bottom)}}#k(e){let t;u(e,"pointerdown",i=>{let o=i.target.closest("button");i.button!==0||o&&o!==this.#o||(t={x:i.clientX,y:i.clientY,box:this.element.getBoundingClientRect(),viewport:this.#x()},e.setPointerCapture(i.pointerId))}),u(e,"pointermove",i=>{t&&(this.#r=k(this.#r,t.box,{dx:i.clientX-t.x,dy:i.clientY-t.y},t.viewport),this.#u())}),u(e,"lostpointercapture",()=>{t&&(t=void 0,this.send({shape:this.#r}))})}};var te=["click","dblclick","auxclick","contextmenu","mousedown","mouseup","mousemove","mouseover","mouseout","wheel","pointerdown","pointerup","pointermove","pointerover","pointerout","pointercancel","touchstart","touchmove","touchend","focusin","focusout","dragstart","dragover","drop"];function W(s){globalThis.kaptureWidgetMessage?.(JSON.stringify(s))}var $=class{#e=n("div");#t=this.#e.attachShadow({mode:"closed"});#i=null;#s=new v(W);#o=new g(()=>W({}),()=>this.remove());constructor(){let e=new CSSStyleSheet;e.replaceSync(j),this.#t.adoptedStyleSheets=[e],this.#t.append(this.#s.element);for(let t of te)this.#t.addEventListener(t,i=>i.stopPropagation());globalThis.kapture.adoptOwnElement(this.#e,t=>this.#a(t)),addEventListener("resize",()=>this.#o.doubt())}#l=!1;show(e,{aside:t,unseen:i}){return this.#l&&!this.#c()?(this.remove(),this.#t.replaceChildren(),!1):(this.#s.show(e),this.aside(t),this.unseen(i),this.#l||(document.documentElement.append(this.#e),this.#s.element.showPopover(),this.#l=!0),this.#o.renew(),!0)}stay({aside:e,unseen:t}){return!this.#l||!this.#c()?!1:(this.aside(e),this.unseen(t),this.#o.renew(),!0)}#c(){return this.#e.isConnected&&this.#e.ownerDocument===document&&this.#s.element.matches(":popover-open")}aside(e){let{element:t}=this.#s;if(t.inert===e)return;e&&(this.#i=this.#t.activeElement,this.#i?.blur()),t.inert=e;let i=document.activeElement===document.body||document.activeElement===null;!e&&i&&this.#i?.focus({preventScroll:!0})}unseen(e){this.#s.element.classList.toggle("unseen",e)}remove(){this.#o.cancel(),this.#e.remove()}#a(e){e.isTrusted&&e instanceof KeyboardEvent&&e.type==="keydown"&&this.#s.onKey(e)&&e.preventDefault()}},ie=globalThis;document.documentElement instanceof HTMLElement&&(ie.kaptureWidget=new $);})();
